import type { Response } from 'express';
import type { SessionDto } from '../../auth/sessions/session.dto';
import type { RecoveryStartedDto } from '../recovery/recovery.dto';
import type { RegistrationStartedDto } from '../registration/registration.dto';

/** A success to answer. */
export interface Outcome {
  status: 200 | 201 | 202 | 204;
  /** Absent with 204. */
  body?: SessionDto | RegistrationStartedDto | RecoveryStartedDto;
  /** It is that of an earlier request. */
  replayed?: true;
}

const REPLAYED = 'Idempotency-Replayed';

/** How the OpenAPI document describes the header. */
export const REPLAYED_HEADER = {
  [REPLAYED]: {
    description: 'Present when the answer is that of an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Sets status and header, and answers the body for Nest to send. */
export function answerWith(response: Response, { status, body, replayed }: Outcome): Outcome['body'] {
  response.status(status);
  if (replayed) response.setHeader(REPLAYED, 'true');
  return body;
}
