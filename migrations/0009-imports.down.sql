DROP TABLE import_run;
