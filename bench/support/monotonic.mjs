/** The machine's monotonic clock, which all processes share, in milliseconds. */
export const monotonicMs = () => Number(process.hrtime.bigint()) / 1e6;
