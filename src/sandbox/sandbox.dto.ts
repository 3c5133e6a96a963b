import { IsOptional } from 'class-validator';
import type { Channel, MessageKind } from '../messages/message';
import { compose, IsFlag, IsLine, IsText, TextRule } from '../platform/http/validation/fields';

/** What was written to an address. */
export interface SandboxMessage {
  id: string;
  channel: Channel;
  to: string;
  kind: MessageKind;
  locale: string | null;
  text: string;
  code: string | null;
  createdAt: Date;
}

/** The body of `POST /sandbox/clock`. */
export class AdvanceDto {
  @compose(
    IsText(),
    TextRule('INVALID_FORMAT', 'must be a duration such as 90s, 11m, 24h or 7d', (value) =>
      /^[1-9]\d{0,5}[smhd]$/.test(value),
    ),
  )
  advance: string;
}

/** The body of `POST /sandbox/assertions`: what an identity provider would say of somebody. */
export class AssertionDto {
  @IsLine(1, 255)
  sub: string;

  @IsOptional()
  @IsLine(1, 254)
  email?: string | null;

  @IsOptional()
  @IsFlag()
  emailVerified?: boolean | null;

  @IsOptional()
  @IsLine(1, 100)
  givenName?: string | null;

  @IsOptional()
  @IsLine(1, 100)
  familyName?: string | null;
}
