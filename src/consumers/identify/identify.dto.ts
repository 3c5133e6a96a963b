import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsText, rule } from '../../platform/http/validation/fields';
import { RegistrationFields } from '../registration/register.dto';

/** A registration of which any field may be absent. */
export class PartialRegistration extends (RegistrationFields as Type<Partial<RegistrationFields>>) {
  @ApiPropertyOptional()
  @IsOptional()
  override type?: 'PERSON';

  @ApiPropertyOptional()
  @IsOptional()
  override firstName?: string;

  @ApiPropertyOptional()
  @IsOptional()
  override lastName?: string;
}

/** The body of `POST /api/v1/identify`: the fields beside the assertion fill what its claims leave out. */
@ApiSchema({
  description:
    'The word of a trusted issuer on who a consumer is; the fields beside it fill what its claims leave out.',
})
export class IdentifyDto extends PartialRegistration {
  @ApiProperty({
    description: 'A JWT that a trusted issuer has signed: an ID token, or one of the touchpoint’s own backend.',
    example: 'eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIn0.c2ln',
    pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
  })
  @IsText()
  assertion: string;

  @IsOptional()
  @rule('FORBIDDEN', 'is not accepted: the assertion replaces it', () => false)
  password?: null;
}
