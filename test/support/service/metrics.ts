/** One line of a scrape. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** What Prometheus would read now. */
export async function scrape(address: string): Promise<{ text: string; samples: Sample[] }> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`The scrape answered ${response.status}`);
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return { text, samples: lines.map(parse) };
}

/** The value of the one sample with this name and these labels. */
export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels);
  return samples.find((sample) => sample.name === name && wanted.every(([label, is]) => sample.labels[label] === is))
    ?.value;
}

function parse(line: string): Sample {
  const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', is = '']) => [label, is]);
  return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) };
}
