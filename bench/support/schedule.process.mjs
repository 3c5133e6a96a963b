import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { stolenMs } from './processor.mjs';

/** A hypervisor that holds processors back does so for about half of this. */
const WATCHED_MS = 200;

/**
 * Connections that take one request each at a time. They are written and read by hand: on the processors of what is
 * measured, Node's client would cost as much as the answer.
 */
class Connections {
  /** @type {import('node:net').Socket[]} */
  #idle = [];
  #port;
  #message;

  /** @param {import('./load.mjs').Schedule} schedule */
  constructor({ baseUrl, request: { method, path, headers } }) {
    const { host, port } = new URL(baseUrl);
    const fields = Object.entries({ Host: host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#port = Number(port);
    this.#message = `${method} ${path} HTTP/1.1\r\n${fields.join('')}\r\n`;
  }

  /** Resolves once a 200 is there whole. */
  answer() {
    return new Promise((resolve, reject) => {
      const socket = this.#idle.pop() ?? this.#open();
      let text = '';
      const read = (/** @type {string} */ chunk) => {
        text += chunk;
        if (!isWhole(text)) return;
        socket.off('data', read).off('close', broken);
        this.#idle.push(socket);
        if (text.startsWith('HTTP/1.1 200 ')) resolve(undefined);
        else reject(new Error(text));
      };
      const broken = () => {
        reject(new Error(`The connection ended behind: ${text}`));
      };
      socket.on('data', read).once('close', broken).write(this.#message);
    });
  }

  end() {
    for (const socket of this.#idle) socket.destroy();
  }

  /** One that the server closes while it is idle is not taken again. */
  #open() {
    const socket = connect(this.#port, '127.0.0.1').setEncoding('latin1').setNoDelay();
    socket.on('error', () => undefined);
    return socket.once('close', () => {
      this.#idle = this.#idle.filter((other) => other !== socket);
    });
  }
}

/** Whether the header is there and the body behind it, whose length it tells or which comes in chunks. */
function isWhole(/** @type {string} */ text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const [, length] = /\ncontent-length: *(\d+)/i.exec(text.slice(0, end)) ?? [];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= end + 4 + Number(length);
}

/**
 * Node's timers end up to a millisecond early.
 *
 * @param {number} time
 */
async function sleepTo(time) {
  for (let left = time - performance.now(); left > 0; left = time - performance.now()) await sleep(Math.ceil(left));
}

/** @typedef {{ at: number, stolen: number }} Sample */

/** @returns {Sample} */
const sample = () => ({ at: performance.now(), stolen: stolenMs() });

/**
 * @param {import('./load.mjs').Schedule} schedule
 * @returns {Promise<import('./load.mjs').ScheduleResult>}
 */
async function run(schedule) {
  const { perSecond, seconds } = schedule;
  const connections = new Connections(schedule);
  await connections.answer();
  const samples = [sample()];
  const start = performance.now();
  const answers = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = start + (index * 1000) / perSecond;
    await sleepTo(due);
    answers.push(connections.answer().then(() => ({ due, ms: performance.now() - due })));
    samples.push(sample());
  }
  const reads = await Promise.all(answers);
  connections.end();
  await sleepTo(start + seconds * 1000 + WATCHED_MS);
  samples.push(sample());
  const undisturbed = reads.filter(({ due }) => !isStolenFrom(due, samples));
  return { all: reads.map(({ ms }) => ms), undisturbed: undisturbed.map(({ ms }) => ms) };
}

/**
 * Whether the hypervisor took time just behind this moment: for as long whatever the answer took, so that a slow one is
 * not likelier to be left out.
 *
 * @param {number} due
 * @param {Sample[]} samples
 */
function isStolenFrom(due, samples) {
  const before = samples.findLast(({ at }) => at <= due);
  const after = samples.find(({ at }) => at >= due + WATCHED_MS);
  if (!before || !after) throw new Error('A moment without samples');
  return after.stolen > before.stolen;
}

process.on('message', (/** @type {import('./load.mjs').Schedule} */ schedule) => {
  run(schedule).then(
    (result) => process.send?.({ result }),
    (/** @type {unknown} */ error) => process.send?.({ error: String(error) }),
  );
});
