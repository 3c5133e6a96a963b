import { sentinelOptions } from './redis-sentinel';

describe('the address of a Redis behind Sentinels', () => {
  it.each([
    [
      'redis+sentinel://a:26379,b.example.com:26380,[::1]/main',
      {
        sentinels: [
          { host: 'a', port: 26_379 },
          { host: 'b.example.com', port: 26_380 },
          { host: '::1', port: 26_379 },
        ],
        ...{ name: 'main', db: 0 },
      },
    ],
    [
      'rediss+sentinel://limits:p%40ss@10.0.0.1/the%20main/3',
      {
        sentinels: [{ host: '10.0.0.1', port: 26_379 }],
        ...{ name: 'the main', db: 3, username: 'limits', password: 'p@ss' },
        ...{ tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true },
      },
    ],
    [
      'redis+sentinel://:secret@a/main',
      { sentinels: [{ host: 'a', port: 26_379 }], name: 'main', db: 0, password: 'secret' },
    ],
  ])('%s is understood', (address, options) => {
    expect(sentinelOptions(address)).toEqual(options);
  });

  it.each([
    'redis://a:6379',
    'redis+sentinel://a:26379',
    'redis+sentinel://a:26379/',
    'redis+sentinel:///main',
    'redis+sentinel://a,/main',
    'redis+sentinel://a:0/main',
    'redis+sentinel://a:70000/main',
    'redis+sentinel://a/main/x',
    'redis+sentinel://a/main?db=1',
    'redis+sentinel://:%zz@a/main',
    'http+sentinel://a/main',
  ])('%s is none', (address) => {
    expect(sentinelOptions(address)).toBeNull();
  });
});
