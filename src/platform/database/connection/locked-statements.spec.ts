import { LockedStatements } from './locked-statements';

const LOCKED = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });
const WRITE = 'INSERT INTO session …';
const READ = 'SELECT FROM event …';

describe('statements that wait for a lock', () => {
  let statements: LockedStatements;
  beforeEach(() => {
    statements = new LockedStatements();
  });

  it('are admitted while they hold few connections, although one has waited in vain', () => {
    statements.ended(WRITE, LOCKED, false);
    expect([statements.admits(WRITE, false), statements.admits(WRITE, true)]).toEqual([true, true]);
  });

  it('are refused while most connections wait, and then one at a time tries again', () => {
    statements.ended(WRITE, LOCKED, true);
    expect([statements.admits(WRITE, true), statements.admits(READ, true)]).toEqual([false, true]);
    expect([statements.admits(WRITE, false), statements.admits(WRITE, false)]).toEqual([true, false]);
  });

  it.each([
    ['in vain', LOCKED],
    ['on a connection that ended', new Error('Connection terminated')],
  ])('are tried again after one that waited %s', (_, error) => {
    statements.ended(WRITE, LOCKED, true);
    statements.admits(WRITE, false);
    statements.ended(WRITE, error, false);
    expect([statements.admits(WRITE, false), statements.admits(WRITE, false)]).toEqual([true, false]);
  });

  it('are all admitted as soon as one has succeeded', () => {
    statements.ended(WRITE, LOCKED, true);
    statements.admits(WRITE, false);
    statements.ended(WRITE, undefined, false);
    expect([statements.admits(WRITE, false), statements.admits(WRITE, true)]).toEqual([true, true]);
  });
});
