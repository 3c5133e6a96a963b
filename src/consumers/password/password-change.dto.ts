import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsFlag, IsKeepable, IsText } from '../../platform/http/validation/fields';
import { NEW_PASSWORD } from '../../auth/passwords/password.fields';

/** The body of `POST /api/v1/password/change`. */
@ApiSchema({ description: 'The password that the consumer has, and the one that replaces it.' })
export class PasswordChangeDto {
  @ApiProperty({
    format: 'password',
    example: 'correct horse battery staple',
    description: 'As the consumer has typed it; white space counts.',
    minLength: 1,
  })
  @IsText()
  currentPassword: string;

  @ApiProperty({ ...NEW_PASSWORD, example: 'hold fast to the analytical engine' })
  @IsText()
  newPassword: string;

  @ApiPropertyOptional({
    type: Boolean,
    example: true,
    description:
      'Undo every link to an identity provider too, so that nobody opens the account through one; absent: they stay.',
  })
  @IsKeepable()
  @IsFlag()
  endExternalIdentities?: boolean;
}
