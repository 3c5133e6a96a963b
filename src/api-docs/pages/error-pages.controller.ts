import { Controller, Get, Param } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ApiError } from '../../platform/errors/api-error';
import { ERROR_CATALOG, type ErrorCode, FIELD_ERROR_CODES, FIELD_ERRORS } from '../../platform/errors/error-catalog';
import { type Guidance, guidanceOn } from './error-guidance';
import { problemExample } from '../../platform/errors/problem-example';
import { escaped, htmlPage, inline } from './html-page';
import { HtmlPage } from './html-page.decorator';
import { Public } from '../../platform/http/public.decorator';

const CODES = Object.keys(ERROR_CATALOG) as ErrorCode[];

const FIELD_CODES = `
<h2>The codes of fields</h2>
<table>
<thead><tr><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
${FIELD_ERROR_CODES.map((code) => `<tr><td><code>${code}</code></td><td>${inline(FIELD_ERRORS[code])}</td></tr>`).join('\n')}
</tbody>
</table>`;

/** The pages that the `type` of a problem points to, and their list. */
@ApiExcludeController()
@Public()
@Controller('docs/errors')
export class ErrorPagesController {
  @Get()
  @HtmlPage()
  list(): string {
    const rows = CODES.map((code) => {
      const { status, title } = guidanceOn(code);
      return `<tr><td>${status}</td><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${escaped(title)}</td></tr>`;
    });
    return htmlPage(
      'Errors',
      `
<h1>Errors</h1>
<p>Every answer from status 400 up is <code>application/problem+json</code> (RFC 9457). Its <code>code</code> is for programs and
never changes; its texts are for people. More codes may be added: treat one that you do not know as its status asks.</p>
<table>
<thead><tr><th>Status</th><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`,
    );
  }

  @Get(':code')
  @HtmlPage()
  page(@Param('code') code: string): string {
    if (!Object.hasOwn(ERROR_CATALOG, code)) throw new ApiError('NOT_FOUND');
    const guidance = guidanceOn(code as ErrorCode);
    const { status, title, meaning, advice } = guidance;
    const example = JSON.stringify(problemExample(code as ErrorCode), null, 2);
    return htmlPage(
      code,
      `
<p class="soft">Status ${status}</p>
<h1><code>${code}</code></h1>
<h2>What it means</h2>
<p>${inline(`${title} ${meaning}`.trim())}</p>
<h2>What to do</h2>
<p>${inline(advice)}</p>
<h2>Does a retry help?</h2>
<p>${retryAdvice(guidance)}</p>
${code === 'VALIDATION_FAILED' ? FIELD_CODES : ''}
<h2>Example</h2>
<pre><code>${escaped(example)}</code></pre>`,
    );
  }
}

function retryAdvice({ retryHelps, isOutcomeUnknown }: Guidance): string {
  if (!retryHelps) return 'No: the same request will be refused again.';
  if (isOutcomeUnknown) return 'Yes, where it is safe: this request may have been done already.';
  return 'Yes: the same request can succeed later.';
}
