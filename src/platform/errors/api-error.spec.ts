import { ApiError } from './api-error';

describe('an error of the API', () => {
  it('sends clients who were refused together back at different times', () => {
    const pauses = Array.from({ length: 200 }, () => new ApiError('SERVICE_UNAVAILABLE').headers['Retry-After']);
    expect(new Set(pauses)).toEqual(new Set(['1', '2', '3']));
  });

  it('says when a retry can succeed, if that is known', () => {
    const { headers } = new ApiError('SERVICE_UNAVAILABLE', { retryAfterSeconds: 4.2 });
    expect(headers['Retry-After']).toBe('5');
  });
});
