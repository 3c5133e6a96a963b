// Loaded before the service under test: ends it with whoever started it, and lets a test stop and move its clock.
const { isMainThread } = require('node:worker_threads');

const { moveDate, realEpochMs } = require('./moved-date.cjs');

const monotonic = performance.now.bind(performance);
let offsetMs = 0;
/** @type {number | null} */
let stoppedAtMs = null;

const epochMs = () => (stoppedAtMs ?? realEpochMs()) + offsetMs;

/** @param {{ stop?: true, advanceMs?: number }} change */
function move({ stop, advanceMs = 0 }) {
  if (stop) stoppedAtMs = realEpochMs();
  offsetMs += advanceMs;
}

if (isMainThread && process.channel) {
  if (process.env.TEST_CLOCK === 'movable') {
    moveDate(epochMs);
    performance.now = () => monotonic() + offsetMs;
  }
  process.on('message', (/** @type {{ stop?: true, advanceMs?: number }} */ change) => {
    move(change);
    process.send?.({ epochMs: epochMs() });
  });
  process.on('disconnect', () => process.exit());
  process.channel.unref();
}
