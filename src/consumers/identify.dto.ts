import { ApiHideProperty, ApiProperty, OmitType, PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsText, rule } from '../platform/http/fields';
import { RegisterDto } from './register.dto';

/** A registration of which any field may be absent, and has no password. */
export class RegistrationFields extends PartialType(OmitType(RegisterDto, ['password'])) {}

/** The body of `POST /api/v1/identify`: the fields beside the assertion fill what its claims leave out. */
export class IdentifyDto extends RegistrationFields {
  @ApiProperty({
    description: 'A JWT that a trusted issuer has signed: an ID token, or one of the touchpoint’s own backend.',
    example: 'eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIn0.c2ln',
  })
  @IsText()
  assertion: string;

  @ApiHideProperty()
  @IsOptional()
  @rule('FORBIDDEN', 'the assertion stands in its stead', () => false)
  password?: null;
}
