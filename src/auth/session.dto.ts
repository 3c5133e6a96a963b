import { ApiProperty } from '../platform/openapi';

/** The answer of whatever opens a session (specification, section 2.4). */
export class SessionDto {
  @ApiProperty({ format: 'uuid', example: '0192f0c1-7a3e-7b2a-9c55-0f2d6f0f6a11' })
  customerId: string;

  @ApiProperty({
    description: 'The customer JWT: send it as `Authorization: Bearer`.',
    example: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImN1c3RvbWVyK2p3dCIsImtpZCI6IjEifQ.e30.c2ln',
  })
  token: string;
}
