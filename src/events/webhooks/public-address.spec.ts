import { isWithin, lookupWithin } from './public-address';

describe('an address to which events are pushed', () => {
  it.each([
    '93.184.216.34',
    '1.1.1.1',
    '172.32.0.1',
    '192.88.98.1',
    '2606:4700::1111',
    '2001:4860:4860::8888',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => {
    expect(isWithin('internet', address)).toBe(true);
  });

  it.each([
    ...[
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '0.0.0.0',
    ],
    ...[
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '::1',
      'fe80::1',
      'fd00::1',
      'ff02::1',
      '64:ff9b::a00:1',
      '2002:7f00:1::',
    ],
    ...['64:ff9b:1::a00:1', 'fec0::1', '::10.0.0.1', '3fff::1', '5f00::1', '192.88.99.1', '100::1', '4000::1'],
    ...['2001::1', '2001:db8::1', 'fe80::1%lo', '::ffff:127.0.0.1', '::ffff:7f00:1', 'localhost', ''],
  ])('%s is not', (address) => {
    expect(isWithin('internet', address)).toBe(false);
  });

  it.each(['127.0.0.1', '127.1.2.3', '::1', '::ffff:127.0.0.1'])('may be %s where loopback is allowed', (address) => {
    expect([isWithin('loopback', address), isWithin('private', address)]).toEqual([true, true]);
  });

  it.each(['10.1.2.3', '169.254.169.254', 'fd00::1', '0.0.0.0'])('may be %s only where all are', (address) => {
    expect([isWithin('loopback', address), isWithin('private', address)]).toEqual([false, true]);
  });

  it('is looked at after its name was resolved', async () => {
    const outcome = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
      lookupWithin('internet')('localhost', { all: true }, resolve);
    });
    expect(outcome?.code).toBe('PRIVATE_ADDRESS');
  });
});
