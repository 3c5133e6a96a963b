DROP TABLE touchpoint_key;
DROP TABLE touchpoint;
