CREATE TABLE consumer (
  id uuid CONSTRAINT consumer_pkey PRIMARY KEY,
  type text NOT NULL CONSTRAINT consumer_type_check CHECK (type = 'PERSON'),
  first_name text NOT NULL,
  last_name text NOT NULL,
  birth_date date,
  locale text,
  address jsonb,
  attributes jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
