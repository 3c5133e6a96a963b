import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ProfileDto } from '../profile/profile.dto';

/** A profile as another system of the business sees it. */
@ApiSchema({ description: 'A consumer’s profile as it is now; what is absent is null.' })
export class IntegrationProfileDto extends ProfileDto {
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    example: null,
    description: 'Since when nobody may act as the consumer; null: somebody may.',
  })
  disabledAt: string | null;
}
