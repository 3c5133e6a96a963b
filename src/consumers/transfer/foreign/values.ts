/** Milliseconds since 1970, as a number or its digits. */
const EPOCH_MS = /^\d{9,15}$/;
/** As PostgreSQL writes a time: its zone may have no minutes. */
const POSTGRES = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(:?\d\d)?$/;

/** A time as our own format has it; anything else stays as it is, to be refused. */
export function timeText(value: unknown): unknown {
  if (typeof value === 'number' || (typeof value === 'string' && EPOCH_MS.test(value))) {
    const date = new Date(Number(value));
    return Number.isNaN(date.getTime()) ? value : date.toISOString();
  }
  if (typeof value !== 'string') return value;
  const [, date, time, hours, minutes = ':00'] = POSTGRES.exec(value) ?? [];
  return date === undefined ? value : `${date}T${time}${hours}${minutes.length === 2 ? `:${minutes}` : minutes}`;
}

/** A language tag; undefined for what is none. */
export function localeText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return Intl.getCanonicalLocales(value.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

/** Whether it is true, of what cells of tables say; anything else stays as it is, to be refused. */
export function flagOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim().toLowerCase();
  if (['true', 't', 'yes', '1'].includes(text)) return true;
  return ['false', 'f', 'no', '0'].includes(text) ? false : value;
}
