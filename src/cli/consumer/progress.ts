import { Clock } from '../../platform/clock';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const LINE_EVERY_MS = 5_000;
const CLEAR_LINE = '\r\u001b[K';

export interface ProgressState {
  /** What is counted, such as lines. */
  count: number;
  /** From 0 to 1, where it is known. */
  part?: number;
}

/** Shows the progress of a long command on standard error: a bar on a terminal, elsewhere a line every few seconds. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY;
  private readonly startedMs: number;
  private shownMs: number;
  private startPart: number | undefined;
  private shown = '';

  constructor(
    private readonly unit: string,
    private readonly clock: Clock,
  ) {
    this.startedMs = this.shownMs = clock.monotonicMs();
  }

  update(state: ProgressState): void {
    this.startPart ??= state.part;
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.shownMs < (this.isTerminal ? REDRAW_MS : LINE_EVERY_MS)) return;
    this.shownMs = nowMs;
    const text = this.describe(state, (nowMs - this.startedMs) / 1000);
    if (!this.isTerminal) process.stderr.write(`${text}\n`);
    else process.stderr.write(CLEAR_LINE + (this.shown = text));
  }

  /** Whole lines, above the bar. */
  print(lines: string): void {
    process.stderr.write(this.shown === '' ? lines : CLEAR_LINE + lines + this.shown);
  }

  end(): void {
    if (this.shown !== '') process.stderr.write(CLEAR_LINE);
    this.shown = '';
  }

  private describe({ count, part }: ProgressState, seconds: number): string {
    const rate = `${grouped(count)} ${this.unit}, ${grouped(count / seconds)}/s`;
    if (part === undefined) return rate;
    const done = part - (this.startPart ?? 0);
    const rest = done > 0 ? `, ${minutes(((1 - part) / done) * seconds)} left` : '';
    const percent = `${String(Math.floor(part * 100)).padStart(3)} %`;
    const filled = Math.round(part * BAR_WIDTH);
    const bar = this.isTerminal ? `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ` : '';
    return `${bar}${percent}  ${rate}${rest}`;
  }
}

const grouped = (count: number): string => Math.round(count).toLocaleString('en');

const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
