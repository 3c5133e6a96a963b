import { Clock } from '../platform/clock';

const BAR_WIDTH = 24;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[K';
const UNKNOWN_WIDTH = 80;

export interface ProgressState {
  /** What is counted, such as lines. */
  count: number;
  /** From 0 to 1, where it is known. */
  part?: number;
  /** What is being done, shown at once. */
  doing?: string;
}

/** The progress of a long command: a bar on standard error if that is a terminal, elsewhere nothing. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY;
  private readonly startedMs: number;
  private shownMs: number;
  private startPart: number | undefined;
  private shown = '';
  private doing: string | undefined;

  constructor(
    private readonly unit: string,
    private readonly clock: Clock,
  ) {
    this.startedMs = this.shownMs = clock.monotonicMs();
  }

  update(state: ProgressState): void {
    if (!this.isTerminal) return;
    this.startPart ??= state.part;
    const nowMs = this.clock.monotonicMs();
    if (state.doing === this.doing && nowMs - this.shownMs < REDRAW_MS) return;
    this.shownMs = nowMs;
    this.doing = state.doing;
    const text = this.describe(state, (nowMs - this.startedMs) / 1000);
    // A line that wraps could not be cleared.
    this.shown = text.slice(0, (process.stderr.columns || UNKNOWN_WIDTH) - 1);
    process.stderr.write(CLEAR_LINE + this.shown);
  }

  /** Whole lines, above the bar. */
  print(lines: string): void {
    process.stderr.write(this.shown === '' ? lines : CLEAR_LINE + lines + this.shown);
  }

  end(): void {
    if (this.shown !== '') process.stderr.write(CLEAR_LINE);
    this.shown = '';
  }

  private describe({ count, part, doing }: ProgressState, seconds: number): string {
    const rate = `${grouped(count)} ${this.unit}, ${grouped(seconds > 0 ? count / seconds : 0)}/s`;
    if (part === undefined) return rate;
    const done = part - (this.startPart ?? 0);
    const rest = done > 0 ? `, ${minutes(((1 - part) / done) * seconds)} left` : '';
    const percent = `${String(Math.floor(part * 100)).padStart(3)} %`;
    const filled = Math.round(part * BAR_WIDTH);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
    return `${bar} ${percent}  ${rate}${rest}${doing === undefined ? '' : `  ${doing}`}`;
  }
}

const grouped = (count: number): string => Math.round(count).toLocaleString('en');

const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
