import { Heartbeat } from './heartbeat';

describe('Heartbeat', () => {
  const ping = jest.fn();
  const onSilence = jest.fn();

  beforeEach(() => {
    jest.useFakeTimers();
    jest.clearAllMocks();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reports a silence once, after about half a minute', () => {
    new Heartbeat(ping, onSilence);
    jest.advanceTimersByTime(30_000);
    expect(ping).toHaveBeenCalledTimes(6);
    expect(onSilence).not.toHaveBeenCalled();
    jest.advanceTimersByTime(120_000);
    expect(onSilence).toHaveBeenCalledTimes(1);
  });

  it('reports nothing while answers come, however late', () => {
    const heartbeat = new Heartbeat(ping, onSilence);
    for (let round = 0; round < 5; round += 1) {
      jest.advanceTimersByTime(29_000);
      heartbeat.pong();
    }
    expect(onSilence).not.toHaveBeenCalled();
    heartbeat.stop();
  });

  it('reports nothing after it is stopped', () => {
    new Heartbeat(ping, onSilence).stop();
    jest.advanceTimersByTime(120_000);
    expect(onSilence).not.toHaveBeenCalled();
  });
});
