/** The embedded database cannot be used; the message is one line, meant for the operator. */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
}
