const policy = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** For the pages: everything comes from this service, and nothing from within the page. */
export const PAGE_POLICY = policy("'self'");

/** For the page that holds credentials: React and Swagger UI use inline styles. */
export const REFERENCE_POLICY = policy("'self' 'unsafe-inline'");
