import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validBody } from './validation';

/** Turns the body into the class that the handler names; a handler that names none gets the body as it came. */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (type !== 'body' || !metatype || metatype === Object) return value;
    return validBody(metatype as new () => object, value);
  }
}
