import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import type { SignedInOperator } from '../../operators/operator.repository';
import { mayUse, NAVIGATION } from '../routes';
import type { Faults } from '../http/exchange';
import { FieldFaults, Form } from './form';

interface DocumentProps {
  title: string;
  page: VNode;
  /** Nobody before the sign-in. */
  operator?: SignedInOperator | undefined;
  /** The path of the page, by which the navigation marks it. */
  path?: string;
  faults?: Faults;
  isSandbox?: boolean;
}

/** A whole page, for who may see it. */
export function documentOf({
  title,
  page,
  operator,
  path = '',
  faults = {},
  isSandbox = false,
}: DocumentProps): string {
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${isSandbox ? 'Sandbox console' : 'Console'}`}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/console.css" />
        <script src="/assets/console.js" defer />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <header>
          <a class="brand" href="/">
            Consumer service <span>Console</span>
          </a>
          {isSandbox && <strong class="sandbox">Sandbox</strong>}
          {operator && <Bar operator={operator} path={path} />}
        </header>
        <main id="main">
          <h1>{title}</h1>
          <FieldFaults.Provider value={faults}>{page}</FieldFaults.Provider>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${render(document)}`;
}

interface BarProps {
  operator: SignedInOperator;
  path: string;
}

/** In one line, or where that is too narrow behind a button; the style sheet shows one of the two. */
const Bar = (props: BarProps): VNode => (
  <>
    <div class="bar">
      <Navigation {...props} />
      <SignedIn {...props} />
    </div>
    <details class="menu">
      <summary>Menu</summary>
      <Navigation {...props} />
      <SignedIn {...props} />
    </details>
  </>
);

const Navigation = ({ operator, path }: BarProps): VNode => (
  <nav aria-label="Pages">
    <ul>
      {NAVIGATION.filter(([route]) => mayUse(operator.role, route)).map(([route, name]) => {
        const target = route.slice('GET '.length);
        const isHere = target === '/' ? path === '/' : path === target || path.startsWith(`${target}/`);
        return (
          <li>
            <a href={target} aria-current={isHere ? 'page' : undefined}>
              {name}
            </a>
          </li>
        );
      })}
    </ul>
  </nav>
);

const SignedIn = ({ operator }: BarProps): VNode => (
  <div class="who">
    <div>
      <a href="/my-sessions">{operator.email}</a> <span class="role">{operator.role}</span>
    </div>
    <Form action="/sign-out" button="Sign out" inline />
  </div>
);
