-- What is valid may stay so.
SELECT;
