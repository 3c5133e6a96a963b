import { issuerName, shortName } from './short-name';

describe('the name of an issuer in a message', () => {
  it.each([
    ['https://accounts.google.com', 'accounts.google.com'],
    ['https://login.example.com:8443/realms/shop?x=1', 'login.example.com:8443'],
    ['the shop’s backend', 'the shop’s backend'],
    ['urn:example:shop', 'urn:example:shop'],
    ['https://tenant-1234567.id.example', 'tenant-....id.example'],
    ['shop\u001b[2J\u202e', 'shop[2J'],
    [`https://${'long-'.repeat(12)}.example.com`, '...long-long-long-long-long-.example.com'],
  ])('of %p is %p', (issuer, name) => {
    expect(issuerName(issuer)).toBe(name);
  });
});

describe('the name of a touchpoint in a message', () => {
  it.each([
    ['The Shop', 'The Shop'],
    ['Shop 24', 'Shop 24'],
    ['Shop 123456', 'Shop ...'],
    ['The\nShop', 'TheShop'],
    ['x'.repeat(41), `${'x'.repeat(37)}...`],
    ['😀'.repeat(41), `${'😀'.repeat(37)}...`],
  ])('of %p is %p', (text, name) => {
    expect(shortName(text)).toBe(name);
  });
});
