import { type CustomDecorator, SetMetadata } from '@nestjs/common';

export const PUBLIC_ROUTE = 'public-route';

/** Opens a controller to callers without a touchpoint credential; every other route is closed to them. */
export const Public = (): CustomDecorator => SetMetadata(PUBLIC_ROUTE, true);
