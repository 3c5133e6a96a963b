import type { VNode } from 'preact';
import { Table } from './parts';

const WIDTH = 300;
const HEIGHT = 64;
const GAP = 3;

export interface Bar {
  /** Such as `09:00`. */
  label: string;
  value: number;
}

interface ChartProps {
  title: string;
  bars: Bar[];
}

/** What happened in each hour: bars, and the same numbers as a table. */
export function Chart({ title, bars }: ChartProps): VNode {
  const highest = Math.max(...bars.map(({ value }) => value), 0);
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const step = WIDTH / bars.length;
  return (
    <figure class="chart">
      <figcaption>
        {title} <strong>{total.toLocaleString('en')}</strong>
      </figcaption>
      <small class="quiet">{`${highest.toLocaleString('en')} in the busiest hour`}</small>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}: ${total} in all, ${highest} in the busiest hour`}
      >
        {bars.map(({ label, value }, index) => {
          const height = highest === 0 ? 1 : Math.max(1, (value / highest) * HEIGHT);
          return (
            <rect x={index * step + GAP / 2} y={HEIGHT - height} width={step - GAP} height={height}>
              <title>{`${label}: ${value}`}</title>
            </rect>
          );
        })}
      </svg>
      <small class="axis">
        <span>{bars[0]?.label}</span>
        <span>{`${bars.at(-1)?.label} UTC`}</span>
      </small>
      <details>
        <summary>{`${title} as a table`}</summary>
        <Table
          caption={`${title} by hour`}
          heads={['Hour (UTC)', title]}
          rows={bars.map(({ label, value }) => [label, value.toLocaleString('en')])}
          empty=""
        />
      </details>
    </figure>
  );
}
