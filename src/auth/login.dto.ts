import { IsText, TextRule } from '../platform/http/fields';
import { ApiProperty } from '../platform/openapi';

const IsGiven = () => TextRule('TOO_SHORT', 'must not be empty', (value) => value !== '', { min: 1 });

/** The body of `POST /api/v1/login` (specification, section 2.3). */
export class LoginDto {
  @ApiProperty({ description: 'An e-mail address, a phone number or a customer id.', example: 'ada@example.com' })
  @IsText()
  @IsGiven()
  identifier: string;

  @ApiProperty({ format: 'password', example: 'correct horse battery staple' })
  @IsText()
  @IsGiven()
  password: string;
}
