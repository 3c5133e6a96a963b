/** The acts that are recorded, and their details: no secrets, and only masked addresses. */
interface Acts {
  'consumer.registered': { by: 'registration' | 'proof' | 'identification'; leftOut?: string[] };
  'consumer.logged-in': { sessionId: string };
  'consumer.logged-out': { sessionId: string };
  'consumer.identified': { issuer: string; sessionId: string };
  'consumer.exported': object;
  'consumer.recovered': { channel: string; destination: string; claimed: boolean; removed: string[] };
  'consumers.exported': { consumers: number };
  'consumer.erased': object;
  'consumer.disabled': { reason: string };
  'consumer.enabled': { reason?: string };
  'consumer.imported': { fileSha256: string };
  'consumer.searched': { found: boolean };
  'consumer.viewed': object;
  'consumer.read': { subscriber: string };
  'consumer.revealed': { reason: string };
  'external-identity.linked': { issuer: string };
  'external-identities.unlinked': { issuers: string[] };
  'identifier.verified': { kind: string };
  'identifier.lost': { kind: string; provenBy: string };
  'jwt-key.generated': { kid: string; dropped: string[] };
  'message.dropped': { messageId: string; kind: string };
  'message.expired': { messageId: string; kind: string };
  'message.given-up': { messageId: string; kind: string };
  'message.retried': { messageId: string; kind: string };
  'notice.dropped': { kind: string; channel: string; destination: string };
  'operator.disabled': { email: string };
  'operator.enabled': { email: string };
  'operator.invited': { email: string; role: string };
  'operator.role-changed': { email: string; role: string };
  'operator.signed-in': { by: 'link' | 'provider'; issuer?: string; subject?: string };
  'operator.signed-out': object;
  'page.viewed': { path: string };
  'password.changed': object;
  'profile.changed': { fields: string[] };
  'recovery.advised': { reason: string; addresses: number };
  'recovery.begun': { channel: string; destination: string; codeSent: boolean };
  'request.replayed': { operation: string };
  'registration.begun': { channel: string; destination: string };
  'session.ended': { sessionId: string };
  'sessions.revoked': { count: number };
  'subscriber.created': { code: string; settings: object };
  'subscriber.disabled': { code: string };
  'subscriber.enabled': { code: string };
  'subscriber.key-rotated': { code: string; hint: string; overlapSeconds: number };
  'subscriber.webhook-disabled': { code: string; reason: string };
  'subscriber.webhook-removed': { code: string };
  'subscriber.webhook-secret-rotated': { code: string; overlapSeconds: number };
  'subscriber.webhook-set': { code: string; url: string };
  'subscriber.rewound': { code: string; position: string };
  'touchpoint.created': { settings: object };
  'touchpoint.updated': { settings: object };
  'touchpoint.key-rotated': { hint: string; overlapSeconds: number };
  'touchpoint.provider-added': { issuer: string; audience: string; trustsEmail: boolean };
  'touchpoint.provider-removed': { issuer: string };
  'verification.requested': { channel: string; destination: string };
}

/** One act. It was done, unless a reason says why it failed. */
export type AuditRecord = {
  [Type in keyof Acts]: { type: Type; details: Acts[Type]; consumerId?: string; failure?: string };
}[keyof Acts];
