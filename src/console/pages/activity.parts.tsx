import type { VNode } from 'preact';
import type { CountedHour } from '../../audit/activity/activity.repository';
import { type Bar, Chart } from '../view/chart';
import { Table } from '../view/parts';

export const SHOWN_HOURS = 12;
const HOUR_MS = 3_600_000;
const CHARTS = ['Requests', 'Logins', 'Registrations'];
const isRefusal = ({ kind }: CountedHour): boolean => kind === kind.toUpperCase();

/** What the API did in the last hours, the present one included. */
export function ActivityView({ counts, nowMs }: { counts: CountedHour[]; nowMs: number }): VNode {
  const refusals = counts.filter(isRefusal);
  const bars = (chosen: CountedHour[]): Bar[] =>
    Array.from({ length: SHOWN_HOURS }, (_, index) => {
      const begin = nowMs - (nowMs % HOUR_MS) - (SHOWN_HOURS - 1 - index) * HOUR_MS;
      const inHour = chosen.filter(({ hour }) => hour.getTime() === begin);
      return { label: new Date(begin).toISOString().slice(11, 16), value: totalOf(inHour) };
    });
  return (
    <section>
      <h2>{`The last ${SHOWN_HOURS} hours`}</h2>
      <div class="charts">
        {CHARTS.map((title) => (
          <Chart title={title} bars={bars(counts.filter(({ kind }) => kind === title.toLowerCase()))} />
        ))}
        <Chart title="Refusals" bars={bars(refusals)} />
      </div>
      <Table
        caption="Refusals by reason, the most frequent first"
        heads={['Code', 'Requests']}
        rows={byCode(refusals).map(([code, count]) => [<code>{code}</code>, count.toLocaleString('en')])}
        empty="No request was refused."
      />
    </section>
  );
}

const totalOf = (counts: CountedHour[]): number => counts.reduce((sum, { count }) => sum + count, 0);

const byCode = (refusals: CountedHour[]): [code: string, count: number][] =>
  [...new Set(refusals.map(({ kind }) => kind))]
    .map((code): [string, number] => [code, totalOf(refusals.filter(({ kind }) => kind === code))])
    .sort(([, a], [, b]) => b - a);
