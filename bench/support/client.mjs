/**
 * Sends JSON with a touchpoint's credential; anything but success is an error.
 *
 * @param {string} baseUrl
 * @param {Record<string, string>} credential
 */
export const sender =
  (baseUrl, credential) =>
  /**
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, token?: string }} [options]
   */
  async (method, path, { body, token } = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...credential,
        ...(body && { 'Content-Type': 'application/json' }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = /** @type {any} */ (await response.json());
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
