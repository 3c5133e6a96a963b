import { Controller, Get } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { escaped, htmlPage, inline } from './html-page';
import { HtmlPage } from './html-page.decorator';
import { Public } from '../../platform/http/public.decorator';
import { NOTES, type Step, STEPS } from './getting-started';

/** The page that takes a partner's developer through the whole flow. */
@ApiExcludeController()
@Public()
@Controller('docs/getting-started')
export class GettingStartedController {
  @Get()
  @HtmlPage()
  page(): string {
    return htmlPage(
      'Getting started',
      `
<h1>Getting started</h1>
<p>From a new touchpoint to a consumer who logs out again, in ${STEPS.length} commands for <code>curl</code> 7.82 or newer.
<a href="/docs">The API’s documentation</a> lets you try the same in the browser.</p>
<p>Where the service is:</p>
<pre><code>${escaped('export API=http://127.0.0.1:3000   # or the address that you were given')}</code></pre>
${STEPS.map((step, index) => section(step, `${index + 1}. `)).join('\n')}
${NOTES.map((step) => section(step)).join('\n')}`,
    );
  }
}

const section = ({ title, text, command, answer, shows }: Step, number = ''): string =>
  [
    `<h2>${number}${escaped(title)}</h2>`,
    `<p>${inline(text)}</p>`,
    command && `<pre><code class="sh">${escaped(command)}</code></pre>`,
    answer &&
      `<pre class="answer"><code>${escaped([`HTTP/1.1 ${answer}`, shows].filter(Boolean).join('\n'))}</code></pre>`,
  ]
    .filter(Boolean)
    .join('\n');
