import { baseUrl } from './base-url';

describe('the address that the ready line tells', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:3000'],
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://[::1]:3000'],
    ['fd00::7', 'http://[fd00::7]:3000'],
  ])('can be opened when the service listens on %s', (address, url) => {
    expect(baseUrl({ address, port: 3000 })).toBe(url);
    expect(URL.canParse(url)).toBe(true);
  });
});
