/**
 * Runs one instance of a Lambda function, as AWS's runtime does. Reads events from standard input and writes results to standard output, as
 * one line of JSON each. The logs of the function go to standard error.
 */
const { writeSync } = require('node:fs');
const { createInterface } = require('node:readline');
const { join } = require('node:path');

process.stdout.write = process.stderr.write.bind(process.stderr);

const { _HANDLER = '', LAMBDA_TASK_ROOT = '', TIMEOUT_SECONDS, AWS_LAMBDA_FUNCTION_NAME } = process.env;
const [file, exported] = _HANDLER.split('.');
const load = () => require(join(LAMBDA_TASK_ROOT, file))[exported];

/** Writes a whole line. A pipe may accept only a part of it at a time, or nothing. */
function respond(result) {
  let rest = Buffer.from(`${JSON.stringify(result)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

const input = createInterface({ input: process.stdin });
input.on('line', async (line) => {
  const deadline = Date.now() + Number(TIMEOUT_SECONDS) * 1000;
  const context = {
    functionName: AWS_LAMBDA_FUNCTION_NAME,
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
  try {
    respond({ payload: await load()(JSON.parse(line), context) });
  } catch (error) {
    console.error(error);
    respond({ error: { errorType: error.name, errorMessage: error.message } });
  }
});
input.on('close', () => process.exit());
