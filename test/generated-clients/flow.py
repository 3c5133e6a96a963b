"""Registers a consumer, logs in and reads the profile by the generated client."""

import os

import openapi_client as generated

EMAIL = "python@example.com"
PASSWORD = "correct horse battery staple"

configuration = generated.Configuration(
    host=os.environ["API"],
    api_key={"X-Touchpoint-Code": os.environ["TOUCHPOINT_CODE"], "X-Touchpoint-Key": os.environ["TOUCHPOINT_KEY"]},
)
consumers = generated.ConsumersApi(generated.ApiClient(configuration))

person = generated.Register(type="PERSON", first_name="Ada", last_name="Lovelace", email=EMAIL, password=PASSWORD)
registered = consumers.post_register(person, idempotency_key="a-key-of-python")
session = consumers.post_login(generated.Login(identifier=EMAIL, password=PASSWORD))
configuration.access_token = session.token
profile = consumers.get_me()

assert session.customer_id == registered.customer_id
assert profile.customer_id == session.customer_id
assert profile.email == EMAIL
assert profile.address is None
print(f"Python: registered, logged in and read {profile.customer_id}")
