import { IsText } from '../platform/http/fields';
import { ApiProperty } from '../platform/openapi';

/** The body of `POST /api/v1/password/change`. */
export class PasswordChangeDto {
  @ApiProperty({ format: 'password', example: 'correct horse battery staple' })
  @IsText()
  currentPassword: string;

  @ApiProperty({ format: 'password', maxLength: 256, example: 'hold fast to the analytical engine' })
  @IsText()
  newPassword: string;
}
