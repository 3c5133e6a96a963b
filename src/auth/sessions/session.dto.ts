import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The answer of whatever opens a session (specification, section 2.4). */
@ApiSchema({ description: 'A session that was opened: whose it is, and the token that stands for the consumer.' })
export class SessionDto {
  @ApiProperty({
    format: 'uuid',
    example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11',
    description:
      'The consumer: opaque, the same at every touchpoint, and never given to another. It is the `sub` of the token.',
  })
  customerId: string;

  @ApiProperty({
    example: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImN1c3RvbWVyK2p3dCIsImtpZCI6IjEifQ.e30.c2ln',
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
    description:
      'The customer token, a JWT (ES256). Send it as `Authorization: Bearer TOKEN`, beside the touchpoint’s credential, with every call for this consumer. It is valid for 30 minutes unless this deployment has set another time: its claim `exp` tells. Logout, a new password and erasure end it sooner. Before that a touchpoint that is allowed to can have a new one by `POST /api/v1/session/extend`; after 401 `UNAUTHENTICATED` let the consumer log in again. Keep it as secret as a password.',
  })
  token: string;
}

/** A live session, as its consumer sees it. */
@ApiSchema({ name: 'LiveSession', description: 'A place where the consumer is signed in.' })
export class LiveSessionDto {
  @ApiProperty({
    format: 'uuid',
    example: '0192f0c1-8d11-7c41-b5ab-3a3f5f5f0e77',
    description: 'The `sid` of its tokens; ends the session with `DELETE /api/v1/me/sessions/{sessionId}`.',
  })
  sessionId: string;

  @ApiProperty({
    example: 'shop',
    pattern: '^[a-z0-9-]{3,64}$',
    description: 'The code of the touchpoint where the consumer logged in.',
  })
  touchpoint: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
    description: 'When the consumer logged in.',
  })
  createdAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:20:00.000Z',
    description: 'When a token of it was last sent; it may lag five minutes.',
  })
  lastUsedAt: string;

  @ApiProperty({
    format: 'date-time',
    example: '2026-01-31T12:50:00.000Z',
    description: 'When it ends if it is not used again.',
  })
  expiresAt: string;

  @ApiProperty({ description: 'Whether it is the session of this request.', example: true })
  current: boolean;
}
