import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../platform/http/public.decorator';
import { JwtKeys } from './jwt-keys';

@ApiTags('Keys')
@Public()
@Controller('.well-known/jwks.json')
export class JwksController {
  constructor(private readonly keys: JwtKeys) {}

  // Shorter than the default overlap of `keys generate`: no backend misses a key that signs.
  @Get()
  @Header('Cache-Control', 'public, max-age=240')
  @ApiOperation({ summary: 'The public keys of customer tokens, for backends that verify them offline (RFC 7517)' })
  @ApiOkResponse({ description: 'A JWK Set.' })
  keySet(): JwtKeys['publicKeySet'] {
    return this.keys.publicKeySet;
  }
}
