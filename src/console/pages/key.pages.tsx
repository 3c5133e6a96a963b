import { Injectable } from '@nestjs/common';
import { JwtKeyRotation } from '../../auth/keys/jwt-key-rotation';
import type { Answer, Handlers } from '../http/exchange';
import { Notice, Table, Time } from '../view/parts';

/** The keys that sign customer tokens. */
@Injectable()
export class KeyPages {
  readonly handlers: Handlers<'GET /keys'> = { 'GET /keys': () => this.keys() };

  constructor(private readonly rotation: JwtKeyRotation) {}

  private async keys(): Promise<Answer> {
    const keys = await this.rotation.list();
    return {
      title: 'Keys',
      page: (
        <section>
          <Table
            caption="The keys that sign customer tokens"
            heads={['Key', 'State', 'Signs from', 'Needed until']}
            rows={keys.map(({ kid, state, signsFrom, neededUntil }) => [
              <code>{kid}</code>,
              state,
              <Time at={signsFrom} />,
              <Time at={neededUntil} />,
            ])}
            empty="There is no key yet: the service makes one when it starts."
          />
          <Notice kind="info">
            A new key is made on the server, where the file with the private keys is:{' '}
            <code>npm run --silent cli -- keys generate</code>
          </Notice>
        </section>
      ),
    };
  }
}
