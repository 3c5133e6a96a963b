import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { compose, IsText, TextRule } from '../../platform/http/validation/fields';

const IsGiven = () =>
  compose(
    TextRule('TOO_SHORT', 'must not be empty', (value) => value !== '', { min: 1 }),
    ApiProperty({ minLength: 1 }),
  );

/** The body of `POST /api/v1/login` (specification, section 2.3). */
@ApiSchema({ description: 'Who logs in, and with which password.' })
export class LoginDto {
  @ApiProperty({ description: 'An e-mail address, a phone number or a customer id.', example: 'ada@example.com' })
  @IsText()
  @IsGiven()
  identifier: string;

  @ApiProperty({
    format: 'password',
    example: 'correct horse battery staple',
    description: 'As the consumer has typed it; white space counts.',
  })
  @IsText()
  @IsGiven()
  password: string;
}
