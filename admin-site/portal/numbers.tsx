/** @jsxImportSource preact */
import { useId } from 'preact/hooks';
import type { License } from './api';
import { texts } from './texts';
import { dayOf } from './ui';

const words = texts.licenses;
const format = new Intl.NumberFormat(texts.language).format;

/** What the license permits in numbers: its limits, and what was consumed from its meters. */
export const Numbers = ({ license: { limits, meters } }: { readonly license: License }) => (
  <>
    {Object.keys(limits).length === 0 ? null : (
      <p class="dim">
        {words.limits}{' '}
        {Object.entries(limits).map(([name, limit], place) => (
          <span key={name}>
            {place === 0 ? '' : ' · '}
            {format(limit)} <bdi>{name}</bdi>
          </span>
        ))}
      </p>
    )}
    {meters.map((meter) => (
      <Meter key={meter.meter} meter={meter} />
    ))}
  </>
);

function Meter({ meter: { meter: name, used, included, resets_at } }: { readonly meter: License['meters'][number] }) {
  const id = useId();
  return (
    <div>
      <p id={id} class="bar">
        <bdi>{name}</bdi>
        <span class="dim">
          {words.consumed(format(used), format(included))}
          {resets_at === null ? '' : ` · ${words.resets(dayOf(resets_at))}`}
        </span>
      </p>
      <progress aria-labelledby={id} value={included === 0 ? Math.min(used, 1) : Math.min(used, included)} max={included || 1} />
    </div>
  );
}
