// Makes a service that writes no events, to measure what they cost.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const load = createRequire(resolve(import.meta.dirname, '../../dist/main.js'));
const { default: sql, raw } = load('sql-template-tag');
const pending = load('./events/log/pending-event.repository');
const { EventLog } = load('./events/log/event-log');

pending.startedFrom = (/** @type {string} */ opened) => sql`SELECT 1 FROM ${raw(opened)}`;
EventLog.prototype.record = function (/** @type {any[]} */ ...[manager, origin, act]) {
  return this.audit.record(manager, origin, act);
};
