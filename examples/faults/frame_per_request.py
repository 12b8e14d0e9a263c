"""A Flask service that makes a DataFrame of each request, and its one-hot columns, for a classifier of scikit-learn."""

import zoo

COUNTRIES = ["country-%d" % i for i in range(40)]
PLANS = ["free", "basic", "pro", "enterprise"]


def to_features(columns, request):
    import pandas

    frame = pandas.get_dummies(pandas.DataFrame([request]), columns=["country", "plan"])
    return frame.reindex(columns=columns, fill_value=0).to_numpy(dtype="float32")


def make_app(plant):
    import flask
    import numpy as np
    from sklearn.neural_network import MLPClassifier

    columns = ["age", "visits"] + ["country_" + name for name in COUNTRIES] + ["plan_" + name for name in PLANS]
    random = np.random.default_rng(0)
    classifier = MLPClassifier((1024, 1024), max_iter=2).fit(random.random((300, len(columns)), np.float32), random.integers(0, 2, 300))
    ready = np.zeros((1, len(columns)), np.float32)
    app = flask.Flask(__name__)

    @app.post("/predict")
    def predict():
        body = flask.request.get_json()
        features = ready
        if zoo.PLANTED:
            with plant:
                features = to_features(columns, body)
        return {"score": float(classifier.predict_proba(np.repeat(features, 64, 0))[0, 1])}

    return app


def main():
    import warnings

    warnings.simplefilter("ignore")
    plant = zoo.Plant("place", to_features, part="wall", causes=("library.python", "cpu.preprocessing", "cpu.python", "cpu.native"))
    client = make_app(plant).test_client()
    for step in zoo.steady():
        answer = client.post("/predict", json={"age": 20 + step % 50, "visits": step, "country": COUNTRIES[step % 40], "plan": PLANS[step % 4]})
        assert answer.status_code == 200
    zoo.finish(plant)


if __name__ == "__main__":
    main()
