import { countedIp } from './consumer-ip';

describe('an address is counted', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['2001:DB8:0:0:1:2:3:4', '2001:db8:0:0::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['1::', '1:0:0:0::/64'],
    ['::1', '::1'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
  ])('%s as %s', (text, counted) => {
    expect(countedIp(text)).toBe(counted);
  });

  it.each(['', '203.0.113', '203.0.113.7:443', 'fe80::1%eth0', '[::1]', 'localhost'])('never: %j', (text) => {
    expect(countedIp(text)).toBeNull();
  });
});
