import type { ImportedRecord } from './imported-record';

/** So many names are listed; a file may hold any number. */
const MAX_NAMES = 200;
const OTHERS = '(others)';

/** Counts what imported consumers leave behind in the other system, by name. */
export class NotKept {
  private readonly counts = new Map<string, number>();

  count(records: ImportedRecord[]): void {
    for (const name of records.flatMap(({ notKept }) => notKept)) {
      const listed = this.counts.has(name) || this.counts.size < MAX_NAMES ? name : OTHERS;
      this.counts.set(listed, (this.counts.get(listed) ?? 0) + 1);
    }
  }

  summary(): Record<string, number> {
    return Object.fromEntries([...this.counts].sort(([one], [other]) => (one < other ? -1 : 1)));
  }
}
