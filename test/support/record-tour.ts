/**
 * `npm run record`: runs the commands of docs/tour.md against a new local run, and writes docs/images/tour.svg, which plays the commands and
 * their output like a terminal. Run it when the tour changes.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../infra/temporary-folder';
import { commandsOf, SETTING } from './document-commands';
import { startStackChild } from './stack-child';

const root = resolve(__dirname, '../..');
const COLUMNS = 110;
const ROWS = 26;
const LINE_HEIGHT = 19;
const CHARACTER = 8.4;
/** Time between two lines, in seconds. */
const COMMAND_PAUSE = 0.8;
const OUTPUT_PAUSE = 0.12;
const MARK = '@@block ';

interface Line {
  readonly text: string;
  readonly isCommand: boolean;
}

const short = (text: string): string => (text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text);

/** Runs the tour, and returns its commands, each block followed by its output. */
async function record(): Promise<Line[]> {
  const stack = await startStackChild(join(temporaryFolder('lks-tour-'), 'data'));
  try {
    const blocks = commandsOf('docs/tour.md')
      .replace(SETTING, '')
      .split(/\n(?=[A-Za-z_]+=\$?\(?(?:admin|client)|admin |client )/);
    const script = blocks
      .map((block, place) => `echo '${MARK}${place}'\n${block}\n`)
      .join('')
      // The recording must not show facts about the computer.
      .replaceAll('require("os").hostname()', '"laptop"');
    const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: { ...process.env, BASE: stack.baseUrl, SVC_ADMIN_TOKEN: stack.adminToken },
    });
    const outputs = stdout.split(new RegExp(`^${MARK}\\d+\\n`, 'm')).slice(1);
    return blocks.flatMap((block, place) => [
      ...block
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => ({ text: short(`$ ${line}`), isCommand: true })),
      ...(outputs[place] ?? '')
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => ({ text: short(line), isCommand: false })),
    ]);
  } finally {
    await stack.stop();
  }
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An SVG in which the lines appear one after another, and the text scrolls when the window is full. */
function draw(lines: readonly Line[]): string {
  let at = 0;
  const times = lines.map(({ isCommand }) => (at += isCommand ? COMMAND_PAUSE : OUTPUT_PAUSE));
  const [width, height] = [Math.ceil(COLUMNS * CHARACTER) + 32, ROWS * LINE_HEIGHT + 32];
  const percent = (time: number): string => ((100 * time) / at).toFixed(3);
  const scroll = times
    .map((time, place) => `${percent(time)}%{transform:translateY(${-LINE_HEIGHT * Math.max(0, place + 1 - ROWS)}px)}`)
    .join('');
  const texts = lines.map(
    ({ text, isCommand }, place) =>
      `<text y="${(place + 1) * LINE_HEIGHT}"${isCommand ? ' class="c"' : ''} style="animation-delay:${times[place]?.toFixed(2)}s">${escaped(text)}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The commands of the tour and their output in a terminal">
<style>
text{font:14px ui-monospace,Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre;opacity:0;animation:a 0s forwards}
.c{fill:#7ee787}
.s{animation:s ${at.toFixed(2)}s step-end forwards}
@keyframes a{to{opacity:1}}
@keyframes s{${scroll}}
@media (prefers-reduced-motion:reduce){text,.s{animation-duration:0s;animation-delay:0s!important}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<svg x="16" y="12" width="${width - 32}" height="${height - 20}"><g class="s">
${texts.join('\n')}
</g></svg>
</svg>
`;
}

void record().then((lines) => writeFileSync(join(root, 'docs/images/tour.svg'), draw(lines)));
