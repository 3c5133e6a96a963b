/** Names a run, so that it can be repeated. */
export const fuzzSeed = Number(process.env.FUZZ_SEED ?? Date.now() % 0x7fffffff);

/** How many requests every operation gets; reserved ones, which read nothing, a third of them. */
export const fuzzRuns = Number(process.env.FUZZ_RUNS ?? 900);

/** A bound against hanging; a busy machine takes its time. */
export const TIMEOUT_MS = 300_000;

process.stderr.write(`FUZZ_SEED=${fuzzSeed} FUZZ_RUNS=${fuzzRuns}\n`);
