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
      'The customer token, a JWT (ES256). Send it as `Authorization: Bearer TOKEN`, beside the touchpoint’s credential, with every call for this consumer. It is valid for 30 minutes unless this deployment has set another time: its claim `exp` tells. Logout, a new password and erasure end it sooner. It cannot be renewed: after 401 `UNAUTHENTICATED` let the consumer log in again. Keep it as secret as a password.',
  })
  token: string;
}
